// Report what the test runner of Node ran.
import { createRequire } from "node:module";

const { ReportWriter, isAsked } = createRequire(import.meta.url)("./lines.cjs");

export default async function* report(source) {
  const writer = isAsked() ? new ReportWriter("node") : null;
  const titles = [];
  const groups = new Set();
  for await (const { type, data } of source) {
    if (!writer) continue;
    if (type === "test:start") {
      titles.length = data.nesting;
      titles[data.nesting] = data.name;
      if (data.nesting) groups.add(key(data.file, titles.slice(0, -1)));
    } else if (type === "test:pass" || type === "test:fail") {
      const path = [...titles.slice(0, data.nesting), data.name];
      const isGroup = groups.has(key(data.file, path)) || (data.details && data.details.type === "suite");
      const isFile = data.nesting === 0 && data.file && data.name === data.file;
      if (isGroup && (type === "test:pass" || fromChildren(data))) continue;
      const outcome = data.skip !== undefined || data.todo !== undefined ? "skipped" : type.slice(5) === "pass" ? "passed" : "failed";
      writer.add(data.file, isFile ? [] : path, outcome);
    }
  }
  if (writer) writer.end();
}

function key(file, path) {
  return JSON.stringify([file, ...path]);
}

function fromChildren(data) {
  const error = data.details && data.details.error;
  return Boolean(error && error.failureType === "subtestsFailed");
}
