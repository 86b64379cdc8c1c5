/** Bytes of its stack in memory that Python may fill. */
const LARGEST = 262_144;

/**
 * Let code that recurses through what is built in, such as a `__repr__` that shows itself, end in a
 * RecursionError. Each such call takes from two stacks: Python watches its own, in memory; the
 * browser's is out of its sight, and where that one overflows first Python is gone.
 * @param {any} pyodide
 */
export function limitStack({ _module: module }) {
  try {
    const state = module._PyThreadState_Get();
    const top = module._emscripten_stack_get_base();
    module._PyUnstable_ThreadState_SetStackProtection(state, top - LARGEST, LARGEST);
  } catch {
    // Another Pyodide, in which Python breaks down and starts anew.
  }
}
