"""The engines that run tasks: Dask, Ray and Spark. Each gives `slots`, `submit`, `wait` and `cancel`.

`run` keeps an engine busy with as many tasks as it has slots, and some more, and gives their results as they come.
"""

import concurrent.futures
import uuid

from .._errors import PzcompError

_RETRIES = 3


class DaskEngine:
    def __init__(self, client):
        self._client = client

    def slots(self):
        return max(1, sum(self._client.nthreads().values()))

    def submit(self, function, *arguments):
        return self._client.submit(function, *arguments, pure=False, retries=_RETRIES)

    def wait(self, futures):
        """The futures that are done. There is at least one."""
        from distributed import CancelledError, wait

        try:
            return list(wait(futures, return_when="FIRST_COMPLETED").done)
        except CancelledError as error:
            raise _lost(error) from error

    def result(self, future):
        from distributed import CancelledError, KilledWorker

        try:
            return future.result()
        except KilledWorker as error:
            # Dask ends a worker that takes too much memory, so this is the usual reason.
            raise PzcompError(
                f"Dask has given up a task: {error.allowed_failures + 1} of its workers have ended in it, the last one at "
                f"{error.last_worker.address}; if memory is short, choose a smaller size, or see the log of that worker"
            ) from error
        except CancelledError as error:
            raise _lost(error) from error

    def cancel(self, futures):
        if futures:
            self._client.cancel(futures, force=True)


class RayEngine:
    def __init__(self):
        import ray

        self._ray = ray
        if not ray.is_initialized():
            ray.init(address="auto")
        self._remotes = {}

    def slots(self):
        return max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    def submit(self, function, *arguments):
        if function not in self._remotes:
            self._remotes[function] = self._ray.remote(function).options(
                num_cpus=1, max_retries=_RETRIES, retry_exceptions=True
            )
        return self._remotes[function].remote(*arguments)

    def wait(self, futures):
        done, _ = self._ray.wait(list(futures), num_returns=1)
        return done

    def result(self, future):
        try:
            return self._ray.get(future)
        except self._ray.exceptions.RayTaskError as error:
            # The task's own exception says what is wrong with the data.
            if isinstance(error.cause, OSError):
                raise error.cause from None
            raise
        except self._ray.exceptions.RayError as error:
            # The task did not end by itself: its worker or its machine has ended, several times.
            reason = " ".join(str(error).split())
            raise PzcompError(f"Ray has given up a task; if memory is short, choose a smaller size. Ray says: {reason}") from error

    def cancel(self, futures):
        for future in futures:
            self._ray.cancel(future, force=True)


def _tried(function, arguments):
    """Runs a task on a machine of Spark. What is wrong with the data is a result, because another try would not help."""
    try:
        return function(*arguments), None
    except PzcompError as error:
        return None, error


class SparkEngine:
    """Each task is a job of Spark with one partition. A thread of this process waits for it."""

    def __init__(self, session):
        self._context = session.sparkContext
        self._group = f"pzcomp-{uuid.uuid4().hex[:12]}"
        self._threads = concurrent.futures.ThreadPoolExecutor(4 * self.slots(), "pzcomp-spark")

    def slots(self):
        return max(1, self._context.defaultParallelism)

    def submit(self, function, *arguments):
        return self._threads.submit(self._job, function, arguments)

    def _job(self, function, arguments):
        # Groups belong to threads.
        self._context.setJobGroup(self._group, "pzcomp", interruptOnCancel=True)
        [done] = self._context.parallelize([arguments], 1).map(lambda given: _tried(function, given)).collect()
        return done

    def wait(self, futures):
        done, _ = concurrent.futures.wait(futures, return_when=concurrent.futures.FIRST_COMPLETED)
        return list(done)

    def result(self, future):
        from py4j.protocol import Py4JError
        from pyspark.errors import PySparkException

        try:
            value, error = future.result()
        except (Py4JError, PySparkException) as failure:
            reason = " ".join(str(failure).split())[:2000]
            raise PzcompError(f"Spark has given up a task; see the log of its executor. Spark says: {reason}") from failure
        if error is not None:
            raise error
        return value

    def cancel(self, futures):
        for future in futures:
            future.cancel()
        if any(future.running() for future in futures):
            self._context.cancelJobGroup(self._group)
        self._threads.shutdown(wait=False)


def _spark_session(engine):
    """The Spark session that a caller names, or None if it names another engine."""
    if engine != "spark":
        return engine if hasattr(engine, "sparkContext") else None
    from pyspark.sql import SparkSession

    session = SparkSession.getActiveSession()
    if session is None:
        raise ValueError("there is no Spark session; start one, or give it as engine=session")
    return session


def _lost(error):
    """The error when Dask has dropped the tasks, as it does if the scheduler does not answer."""
    reason = " ".join(str(error).split())
    return PzcompError(f"Dask has cancelled the tasks; see whether the scheduler runs, and start again. Dask says: {reason}")


def engine_of(engine):
    """The engine for what a caller names: a client of Dask, the address of a scheduler, "ray", a Spark session, "spark", or
    None for the client of Dask that this process has."""
    if engine == "ray":
        return RayEngine()
    if engine is not None and (session := _spark_session(engine)) is not None:
        return SparkEngine(session)
    from distributed import Client, get_client

    if isinstance(engine, str):
        engine = Client(engine)
    if engine is None:
        try:
            engine = get_client()
        except ValueError:
            raise ValueError("there is no cluster; start a distributed.Client, or give engine='ray' or engine='spark'") from None
    return DaskEngine(engine)


def run(engine, function, jobs):
    """Runs `function` on each job, which is a tuple of arguments. Gives the number and result of each, as they are done.

    A generator that is closed early cancels the tasks that are left.
    """
    jobs = enumerate(jobs)
    running = {}
    try:
        while True:
            window = 2 * engine.slots()
            while len(running) < window and (job := next(jobs, None)) is not None:
                running[engine.submit(function, *job[1])] = job[0]
            if not running:
                return
            for future in engine.wait(list(running)):
                number = running.pop(future)
                yield number, engine.result(future)
    finally:
        engine.cancel(list(running))
