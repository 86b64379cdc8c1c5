/**
 * The reader's GPU through WebGPU: matrix products and copies, checked and timed.
 *
 * No graphics library: two short kernels. Types are loose, since TypeScript's DOM library does not
 * have WebGPU in every version.
 */

const TILE = 64;
/** A submission of this length is neither all overhead nor long enough for a watchdog. */
const ENOUGH_MS = 120;

/** (n × n)·(n × n) in float32, n a multiple of 64: each thread makes a 4 × 4 piece. */
const MATMUL = `
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
override n: u32;
var<workgroup> at: array<f32, 1024>;
var<workgroup> bt: array<f32, 1024>;
@compute @workgroup_size(16, 16)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) thread: vec3u) {
  let row = group.y * 64u;
  let column = group.x * 64u;
  let index = thread.y * 16u + thread.x;
  var sums: array<array<f32, 4>, 4>;
  for (var k = 0u; k < n; k += 16u) {
    for (var s = 0u; s < 4u; s++) {
      let e = index + 256u * s;
      at[e] = a[(row + e / 16u) * n + k + e % 16u];
      bt[e] = b[(k + e / 64u) * n + column + e % 64u];
    }
    workgroupBarrier();
    for (var i = 0u; i < 16u; i++) {
      for (var y = 0u; y < 4u; y++) {
        let left = at[(thread.y * 4u + y) * 16u + i];
        for (var x = 0u; x < 4u; x++) {
          sums[y][x] += left * bt[i * 64u + thread.x * 4u + x];
        }
      }
    }
    workgroupBarrier();
  }
  for (var y = 0u; y < 4u; y++) {
    for (var x = 0u; x < 4u; x++) {
      c[(row + thread.y * 4u + y) * n + column + thread.x * 4u + x] = sums[y][x];
    }
  }
}`;

/** The whole numbers of `napkin.machine.whole_matrix`. @param {number} n @param {number} salt */
export function wholeMatrix(n, salt) {
  const matrix = new Float32Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) matrix[i * n + j] = ((31 * i + 17 * j + salt * (i ^ j)) % 17) - 8;
  }
  return matrix;
}

/** Row and column sums of an n × n matrix. @param {Float32Array} matrix @param {number} n */
export function sumsOf(matrix, n) {
  const rows = new Array(n).fill(0);
  const columns = new Array(n).fill(0);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      rows[i] += matrix[i * n + j];
      columns[j] += matrix[i * n + j];
    }
  }
  return { rows, columns };
}

/** A GPU that this page may use. */
export class Gpu {
  /** @param {any} device @param {string} name */
  constructor(device, name) {
    this.device = device;
    this.name = name;
  }

  /**
   * @returns {Promise<Gpu>}
   * @throws {Error} whose message says what is missing and what to do
   */
  static async open() {
    const gpu = /** @type {any} */ (navigator).gpu;
    if (!gpu) {
      throw new Error(
        "This browser offers no WebGPU here. Recent versions of Chrome, Edge and Safari have it, and Firefox on Windows and Apple computers; the page must come over https or from your own machine.",
      );
    }
    const adapter = await gpu.requestAdapter({ powerPreference: "high-performance" });
    if (!adapter) {
      throw new Error(
        "This browser knows WebGPU but found no GPU that it may use. Its settings may have graphics acceleration switched off.",
      );
    }
    const most = adapter.limits.maxStorageBufferBindingSize;
    const device = await adapter.requestDevice({ requiredLimits: { maxStorageBufferBindingSize: most } });
    const { description, architecture, vendor } = adapter.info ?? {};
    const emulated = adapter.info?.isFallbackAdapter ? ", emulated on the CPU" : "";
    return new Gpu(device, (description || [vendor, architecture].filter(Boolean).join(" ") || "GPU") + emulated);
  }

  close() {
    this.device.destroy();
  }

  /** @param {number} size @param {Float32Array} [content] */
  #buffer(size, content) {
    const { STORAGE, COPY_SRC, COPY_DST } = /** @type {any} */ (globalThis).GPUBufferUsage;
    const buffer = this.device.createBuffer({ size, usage: STORAGE | COPY_SRC | COPY_DST });
    if (content) this.device.queue.writeBuffer(buffer, 0, content);
    return buffer;
  }

  /**
   * Seconds of one piece of work: submitted many times at once, the best of three.
   * @param {(encoder: any, times: number) => void} encode
   */
  async #seconds(encode) {
    /** @param {number} times */
    const timed = async (times) => {
      const encoder = this.device.createCommandEncoder();
      encode(encoder, times);
      const start = performance.now();
      this.device.queue.submit([encoder.finish()]);
      await this.device.queue.onSubmittedWorkDone();
      return performance.now() - start;
    };
    let times = 1;
    let took = await timed(times);
    while (took < ENOUGH_MS && times < 2 ** 14) {
      times = Math.ceil(times * Math.min(8, (1.5 * ENOUGH_MS) / Math.max(took, 1)));
      took = await timed(times);
    }
    const tries = [took, await timed(times), await timed(times)];
    return Math.min(...tries) / times / 1e3;
  }

  /**
   * Multiply the whole matrices of size n.
   * @param {number} n a multiple of 64
   * @returns {Promise<{seconds: number, rate: number, sums: {rows: number[], columns: number[]}}>}
   */
  async matmul(n) {
    if (n % TILE) throw new RangeError(`n is ${n}: the kernel needs a multiple of ${TILE}`);
    const size = 4 * n * n;
    const buffers = [
      this.#buffer(size, wholeMatrix(n, 3)),
      this.#buffer(size, wholeMatrix(n, 5)),
      this.#buffer(size),
    ];
    const pipeline = await this.device.createComputePipelineAsync({
      layout: "auto",
      compute: {
        module: this.device.createShaderModule({ code: MATMUL }),
        entryPoint: "main",
        constants: { n },
      },
    });
    const bindings = this.device.createBindGroup({
      layout: pipeline.getBindGroupLayout(0),
      entries: buffers.map((buffer, binding) => ({ binding, resource: { buffer } })),
    });
    const seconds = await this.#seconds((encoder, times) => {
      const pass = encoder.beginComputePass();
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, bindings);
      for (let i = 0; i < times; i++) pass.dispatchWorkgroups(n / TILE, n / TILE);
      pass.end();
    });
    const product = await this.#read(buffers[2], size);
    for (const buffer of buffers) buffer.destroy();
    return { seconds, rate: (2 * n ** 3) / seconds, sums: sumsOf(product, n) };
  }

  /** B/s that pass when the GPU copies `size` bytes: each is read once and written once. */
  async copy(size = 2 ** 26) {
    const from = this.#buffer(size);
    const to = this.#buffer(size);
    const seconds = await this.#seconds((encoder, times) => {
      for (let i = 0; i < times; i++) encoder.copyBufferToBuffer(from, 0, to, 0, size);
    });
    from.destroy();
    to.destroy();
    return { seconds, rate: (2 * size) / seconds };
  }

  /** @param {any} buffer @param {number} size */
  async #read(buffer, size) {
    const { MAP_READ, COPY_DST } = /** @type {any} */ (globalThis).GPUBufferUsage;
    const readable = this.device.createBuffer({ size, usage: MAP_READ | COPY_DST });
    const encoder = this.device.createCommandEncoder();
    encoder.copyBufferToBuffer(buffer, 0, readable, 0, size);
    this.device.queue.submit([encoder.finish()]);
    await readable.mapAsync(/** @type {any} */ (globalThis).GPUMapMode.READ);
    const content = new Float32Array(readable.getMappedRange().slice(0));
    readable.destroy();
    return content;
  }
}
