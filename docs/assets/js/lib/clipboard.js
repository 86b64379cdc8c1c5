/**
 * Copy text; false where the browser does not allow it. To be called while the reader's press is
 * being handled: after an `await`, WebKit allows no copying. What takes time comes as a promise.
 * @param {string | Promise<string>} text
 * @returns {Promise<boolean>} rejects where the promised text does
 */
export async function copyText(text) {
  try {
    if (typeof text === "string") await navigator.clipboard.writeText(text);
    else await copyPromised(text);
    return true;
  } catch {
    return copySelected(await text);
  }
}

/** @param {Promise<string>} text */
function copyPromised(text) {
  const blob = text.then((ready) => new Blob([ready], { type: "text/plain" }));
  blob.catch(() => {}); // told by `text` itself, also where the browser does not get to ask
  return navigator.clipboard.write([new ClipboardItem({ "text/plain": blob })]);
}

/**
 * The old way: plain http on a local network has no clipboard interface.
 * @param {string} text
 */
function copySelected(text) {
  const area = document.createElement("textarea");
  area.value = text;
  area.style.position = "fixed";
  area.style.opacity = "0";
  const focused = /** @type {HTMLElement | null} */ (document.activeElement);
  document.body.append(area);
  area.select();
  const copied = document.execCommand("copy");
  area.remove();
  focused?.focus();
  return copied;
}
