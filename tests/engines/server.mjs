/** The Python side of a trial: the site's server, and the judge of outputs. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { soon } from "./driver.mjs";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const PYTHON = `${ROOT}.venv/bin/python`;
const SERVE = ["-m", "tests.engines.serve"];

/** A server on one port that can be stopped and started again. */
export class Server {
  port = 20_000 + (process.pid % 10_000);
  root = `http://127.0.0.1:${this.port}/napkin/`;

  constructor(site) {
    this.site = site;
  }

  /** @param {string[]} options of serve.py */
  async start(...options) {
    const command = [...SERVE, this.site, String(this.port), ...options];
    this.process = spawn(PYTHON, command, { cwd: ROOT, stdio: "inherit" });
    const answers = () => fetch(this.root).then((response) => response.ok, () => false);
    await soon(answers, "the server does not answer");
  }

  async stop() {
    this.process.kill();
    await once(this.process, "exit");
  }
}

/** Where what a lesson printed differs from its record. */
export function judged(lesson, outputs) {
  const input = JSON.stringify(outputs);
  const told = execFileSync(PYTHON, [...SERVE, "--judge", lesson], { cwd: ROOT, input, encoding: "utf8" });
  return JSON.parse(told);
}
