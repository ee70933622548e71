// Reads files by Node's zlib, by pako and by fzstd, as pages in a browser do.
//
// Each line of standard input has the name of a reader, a tab and the name of a file. Each line of the output has both,
// and the SHA-256 of the plain bytes or the word "error" with the message.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { gunzipSync, inflateSync } from "node:zlib";

// The packages are beside the files, and not beside this program.
const require = createRequire(process.cwd() + "/");
const pako = require("pako");
const fzstd = require("fzstd");

const readers = {
  "node gzip": gunzipSync,
  "node zlib": inflateSync,
  "pako gzip": (bytes) => pako.ungzip(bytes),
  "pako zlib": (bytes) => pako.inflate(bytes),
  "fzstd zstd": (bytes) => fzstd.decompress(bytes),
};

for (const line of readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  const [reader, name] = line.split("\t");
  let result;
  try {
    const plain = readers[reader](readFileSync(name));
    if (plain === undefined) {
      throw new Error("no result");
    }
    result = createHash("sha256").update(plain).digest("hex");
  } catch (error) {
    result = "error\t" + String(error?.message ?? error).replace(/\s+/g, " ");
  }
  console.log(`${line}\t${result}`);
}
