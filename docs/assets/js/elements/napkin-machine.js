/**
 * <napkin-machine kind="matmul|roofline">: the reader's own machine, NumPy beside WebGPU.
 *
 * `matmul` times products of growing size; `roofline` measures bandwidth and peak, and says where
 * they meet. Nothing is measured before the button is pressed.
 */
import { announce } from "../lib/announcer.js";
import { runtime } from "../lib/runtime.js";
import { Gpu } from "../lib/webgpu.js";

const SIZES = [256, 512, 1024];
/** The product that is compared with NumPy's, digit by digit. */
const CHECKED = 256;

/** @typedef {{label: string, numpy: number | null, gpu: number | null, unit: string}} Line */

/** @param {number} value @param {string} unit */
function rate(value, unit) {
  const [scale, prefix] = value >= 1e12 ? [1e12, "T"] : value >= 1e9 ? [1e9, "G"] : [1e6, "M"];
  return `${(value / scale).toPrecision(3)} ${prefix}${unit}`;
}

export class NapkinMachine extends HTMLElement {
  /** @type {AbortController | null} */
  #leaving = null;
  /** @type {HTMLButtonElement} */
  #button = document.createElement("button");
  #status = document.createElement("p");
  #result = document.createElement("div");

  connectedCallback() {
    if (this.dataset.state) return;
    this.dataset.state = "ready";
    this.#leaving = new AbortController();
    this.#button.type = "button";
    this.#button.dataset.action = "measure";
    this.#button.textContent = "Measure this machine";
    this.#button.addEventListener("click", () => this.#measure());
    this.#status.dataset.part = "status";
    this.#status.textContent = "NumPy and WebGPU in this tab, about ten seconds. Nothing is sent anywhere.";
    this.#result.dataset.part = "result";
    this.replaceChildren(this.#button, this.#status, this.#result);
  }

  disconnectedCallback() {
    this.#leaving?.abort();
    delete this.dataset.state;
  }

  /** @param {string} sentence */
  #say(sentence) {
    this.#status.textContent = sentence;
  }

  async #measure() {
    const leaving = /** @type {AbortController} */ (this.#leaving);
    this.dataset.state = "running";
    this.#button.disabled = true;
    /** @type {Gpu | null} */
    let gpu = null;
    let missing = "";
    try {
      try {
        gpu = await Gpu.open();
      } catch (problem) {
        missing = /** @type {Error} */ (problem).message;
      }
      /** @type {(name: string, args: unknown[]) => Promise<any>} */
      const python = (name, args) =>
        runtime.call(`napkin.machine:${name}`, args, {
          packages: ["numpy"],
          progress: ({ text }) => this.#say(text),
          signal: leaving.signal,
        });
      if (gpu) missing = await this.#checked(gpu, python);
      if (missing) {
        gpu?.close();
        gpu = null;
      }
      const lines = await (this.getAttribute("kind") === "roofline"
        ? this.#roofline(gpu, python)
        : this.#products(gpu, python));
      this.#show(lines, gpu?.name ?? "", missing);
      this.dataset.state = "done";
    } catch (problem) {
      if (leaving.signal.aborted) return;
      this.dataset.state = "error";
      const { name, message } = /** @type {Error} */ (problem);
      const again = name === "Outdated" ? "" : " Press the button to try again.";
      this.#say(`The measurement did not finish: ${message}${again}`);
      announce(this.#status.textContent ?? "");
    } finally {
      gpu?.close();
      this.#button.disabled = false;
      this.#button.textContent = "Measure again";
    }
  }

  /**
   * Whether the GPU's product is NumPy's; what is wrong, or nothing.
   * @param {Gpu} gpu
   * @param {(name: string, args: unknown[]) => Promise<any>} python
   */
  async #checked(gpu, python) {
    this.#say(`Checking a ${CHECKED} × ${CHECKED} product against NumPy …`);
    const [{ sums }, expected] = await Promise.all([gpu.matmul(CHECKED), python("product_sums", [CHECKED])]);
    const same = JSON.stringify(sums) === JSON.stringify(expected);
    return same ? "" : "WebGPU's product differs from NumPy's, so its speed is not shown.";
  }

  /**
   * @param {Gpu | null} gpu
   * @param {(name: string, args: unknown[]) => Promise<any>} python
   * @returns {Promise<Line[]>}
   */
  async #products(gpu, python) {
    /** @type {Line[]} */
    const lines = [];
    for (const n of SIZES) {
      this.#say(`Multiplying ${n} × ${n} matrices …`);
      const numpy = (await python("matmul_speed", [n])).rate;
      const fast = gpu ? (await gpu.matmul(n)).rate : null;
      lines.push({ label: `n = ${n}`, numpy, gpu: fast, unit: "FLOP/s" });
    }
    return lines;
  }

  /**
   * @param {Gpu | null} gpu
   * @param {(name: string, args: unknown[]) => Promise<any>} python
   * @returns {Promise<Line[]>}
   */
  async #roofline(gpu, python) {
    this.#say("Copying memory …");
    const copied = (await python("copy_speed", [])).rate;
    const gpuCopied = gpu ? (await gpu.copy()).rate : null;
    this.#say("Multiplying matrices …");
    const peak = (await python("matmul_speed", [512])).rate;
    const gpuPeak = gpu ? (await gpu.matmul(1024)).rate : null;
    return [
      { label: "Bandwidth (copying)", numpy: copied, gpu: gpuCopied, unit: "B/s" },
      { label: "Peak (matrix product)", numpy: peak, gpu: gpuPeak, unit: "FLOP/s" },
      {
        label: "Ridge: peak ÷ bandwidth",
        numpy: peak / copied,
        gpu: gpuPeak && gpuCopied ? gpuPeak / gpuCopied : null,
        unit: "FLOP/B",
      },
    ];
  }

  /**
   * @param {Line[]} lines
   * @param {string} name of the GPU
   * @param {string} missing why there is none
   */
  #show(lines, name, missing) {
    const table = document.createElement("table");
    const head = table.createTHead().insertRow();
    for (const text of ["", "NumPy", ...(name ? ["WebGPU", "ratio"] : [])]) {
      const cell = document.createElement("th");
      cell.scope = "col";
      cell.textContent = text;
      head.append(cell);
    }
    const body = table.createTBody();
    for (const { label, numpy, gpu, unit } of lines) {
      const row = body.insertRow();
      const header = document.createElement("th");
      header.scope = "row";
      header.textContent = label;
      row.append(header);
      /** @param {number | null} value */
      const shown = (value) =>
        value === null ? "" : unit === "FLOP/B" ? `${value.toPrecision(3)} ${unit}` : rate(value, unit);
      row.insertCell().textContent = shown(numpy);
      if (!name) continue;
      row.insertCell().textContent = shown(gpu);
      row.insertCell().textContent = gpu && numpy ? `${(gpu / numpy).toPrecision(3)} ×` : "";
    }
    this.#result.replaceChildren(table);
    const checked = `Your GPU: ${name}. Its ${CHECKED} × ${CHECKED} product equals NumPy's in every row and column sum.`;
    this.#say(missing || checked);
    announce(`Measured. ${this.#status.textContent}`);
  }
}
