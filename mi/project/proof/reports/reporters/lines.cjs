// Write the report of a runner of JavaScript tests: see report_writer.py, which writes the same lines.
"use strict";
const crypto = require("node:crypto");
const fs = require("node:fs");
const path = require("node:path");

const NAMES = ["MI_REPORT_FROM", "MI_REPORT_TO", "MI_REPORT_KEY", "MI_REPORT_ROOT", "MI_REPORT_ONLY", "MI_REPORT_GOES_ON"];
const { appendFileSync, realpathSync } = fs;
const { stringify } = JSON;

function isAsked() {
  return Boolean(process.env.MI_REPORT_TO && process.env.MI_REPORT_KEY);
}

function real(file) {
  try {
    return realpathSync(file);
  } catch {
    return path.resolve(file);
  }
}

// Take out of every variable what MI put there, so that runs inside of a test are apart.
function leaveEnvironment() {
  const mine = [process.env.MI_REPORT_FROM, process.env.MI_REPORT_TO].filter(Boolean);
  for (const name of NAMES) delete process.env[name];
  for (const [name, value] of Object.entries(process.env)) {
    if (!mine.some((place) => value.includes(place))) continue;
    const mark = name === "PYTHONPATH" || name === "PATH" ? path.delimiter : " ";
    const rest = value.split(mark).filter((part) => !mine.some((place) => part.includes(place))).join(mark);
    if (rest) process.env[name] = rest;
    else delete process.env[name];
  }
}

class ReportWriter {
  constructor(runner) {
    const { MI_REPORT_TO: to, MI_REPORT_KEY: key, MI_REPORT_ROOT: root } = process.env;
    this.root = real(root || process.cwd());
    this.key = key;
    this.file = path.join(to, `${runner}-${process.pid}-${crypto.randomBytes(4).toString("hex")}.jsonl`);
    this.first = stringify({ runner }) + "\n";
    this.rows = [];
    this.seen = new Map();
    appendFileSync(this.file, this.first);
    leaveEnvironment();
  }

  // Tests of one title are told apart by their order.
  add(file, titles, outcome) {
    const place = file ? path.relative(this.root, real(file)).split(path.sep).join("/") : ".";
    const id = [place, ...titles.map((title) => String(title).split("::").join(": "))].join("::");
    const count = (this.seen.get(id) || 0) + 1;
    this.seen.set(id, count);
    this.rows.push({ id: count > 1 ? `${id} #${count}` : id, outcome });
  }

  end(facts = {}) {
    const rows = [...this.rows, { ...facts, tests: this.rows.length }];
    const body = rows.map((row) => stringify(row) + "\n").join("");
    const seal = crypto.createHash("sha256").update(`${this.key}\n${this.first}${body}`).digest("hex");
    appendFileSync(this.file, body + stringify({ end: seal }) + "\n");
  }
}

module.exports = { ReportWriter, isAsked };
