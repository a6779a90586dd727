// Loaded by every Node process of a check (NODE_OPTIONS): gives the process that leads a test run our reporter.
"use strict";
const fs = require("node:fs");
const path = require("node:path");
const { isMainThread } = require("node:worker_threads");

function wantedTitles(file) {
  const literal = (text) => text.replace(/[.*+?^${}()|[\]\\\/]/g, "\\$&");
  const titles = JSON.parse(fs.readFileSync(file, "utf-8")).map((id) =>
    id.replace(/ #\d+$/, "").split("::").slice(1).join(" "));
  return `^(?:${titles.map(literal).join("|")})$`;
}

function addWords(words) {
  const at = process.argv.indexOf("--");
  process.argv.splice(at < 0 ? process.argv.length : at, 0, ...words);
}

function instrument(script) {
  const runner = [
    ["jest", /[\\/]jest(-cli)?[\\/]bin[\\/]jest(\.js)?$|[\\/]react-scripts[\\/]scripts[\\/]test\.js$/],
    ["vitest", /[\\/]vitest[\\/](vitest\.mjs|dist[\\/]cli\.js)$/],
    ["mocha", /[\\/]mocha[\\/]bin[\\/]_?mocha(\.js)?$/],
  ].find(([, pattern]) => pattern.test(script));
  const only = process.env.MI_REPORT_ONLY;
  if (!runner || process.argv.some((word) => word.includes(__dirname))) return;
  const reporter = path.join(__dirname, `${runner[0]}.cjs`);
  if (runner[0] === "jest") {
    addWords(["--reporters=default", `--reporters=${reporter}`, ...(only ? [`--testNamePattern=${wantedTitles(only)}`] : [])]);
  } else if (runner[0] === "vitest") {
    addWords(["--reporter=default", `--reporter=${reporter}`, ...(only ? [`--testNamePattern=${wantedTitles(only)}`] : [])]);
  } else {
    addWords(["--reporter", reporter, ...(only ? ["--grep", wantedTitles(only)] : [])]);
  }
}

if (isMainThread && process.env.MI_REPORT_TO && process.argv[1]) {
  let script = process.argv[1];
  try {
    script = fs.realpathSync(script);
  } catch {
    // run from an archive of packages: its name tells as much
  }
  instrument(script);
}
