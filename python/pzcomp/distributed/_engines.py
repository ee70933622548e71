"""The engines that run tasks: Dask and Ray. Each gives `slots`, `submit`, `wait` and `cancel`.

`run` keeps an engine busy with as many tasks as it has slots, and some more, and gives their results as they come.
"""

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


def _lost(error):
    """The error when Dask has dropped the tasks, as it does if the scheduler does not answer."""
    reason = " ".join(str(error).split())
    return PzcompError(f"Dask has cancelled the tasks; see whether the scheduler runs, and start again. Dask says: {reason}")


def engine_of(engine):
    """The engine for what a caller names: a client of Dask, the address of a scheduler, "ray", or None for the client of
    Dask that this process has."""
    if engine == "ray":
        return RayEngine()
    from distributed import Client, get_client

    if isinstance(engine, str):
        engine = Client(engine)
    if engine is None:
        try:
            engine = get_client()
        except ValueError:
            raise ValueError("there is no cluster; start a distributed.Client, or give engine='ray'") from None
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
