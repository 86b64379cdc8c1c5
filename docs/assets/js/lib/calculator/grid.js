/**
 * Makes a table sortable by its column heads and adds fields that filter its rows. What the reader
 * chose stays when the numbers change.
 */

/** @typedef {{column: string, down: boolean, search: string, only: Set<string>}} View */

/**
 * @typedef {object} Mounted
 * @property {HTMLElement} bar of filters
 * @property {HTMLElement} box
 * @property {(next: HTMLElement) => boolean} update takes another box's numbers; false, and
 *   nothing done, where its columns or its number of rows are others
 */

/** @returns {View} */
export function newView() {
  return { column: "", down: false, search: "", only: new Set() };
}

/**
 * @param {HTMLElement} box `[data-part=grid]`
 * @param {View} view kept by the caller from one result to the next
 * @returns {Mounted}
 */
export function mountGrid(box, view) {
  const table = /** @type {HTMLTableElement} */ (box.querySelector("table"));
  const heads = /** @type {HTMLElement[]} */ ([...table.querySelectorAll("thead th")]);
  const body = table.tBodies[0];
  const original = [...body.rows];

  let arranged = false;

  const arrange = () => {
    const words = view.search.toLowerCase().split(/\s+/).filter(Boolean);
    const rows = original.filter((row) => {
      if (!words.length && !view.only.size) return true;
      // Words are looked for in names, not in numbers: "30" means an RTX 30.
      const names = [...row.cells].filter(({ dataset }) => dataset.value === undefined);
      const text = names.map(({ textContent }) => textContent).join(" ").toLowerCase();
      return (
        words.every((word) => text.includes(word)) &&
        [...view.only].every((key) => row.querySelector(`[data-key="${key}"]`)?.getAttribute("data-value") === "1")
      );
    });
    const index = heads.findIndex((head) => head.dataset.column === view.column);
    if (index >= 0) rows.sort((a, b) => compare(a.cells[index], b.cells[index], view.down));
    // Untouched rows stay: moving a hundred of them costs as much as making them.
    if (arranged || index >= 0 || rows.length < original.length) body.replaceChildren(...rows);
    arranged = index >= 0 || rows.length < original.length;
    for (const head of heads) {
      if (head.dataset.column !== view.column) head.removeAttribute("aria-sort");
      else head.setAttribute("aria-sort", view.down ? "descending" : "ascending");
    }
    count.textContent = rows.length === original.length ? `${rows.length} rows` : `${rows.length} of ${original.length} rows`;
  };

  for (const head of heads) {
    const button = document.createElement("button");
    button.type = "button";
    button.dataset.action = "sort";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const column = head.dataset.column ?? "";
      // Numbers: the largest first, as people look for them.
      const numbers = original.some((row) => row.cells[heads.indexOf(head)].dataset.value !== undefined);
      view.down = view.column === column ? !view.down : numbers;
      view.column = column;
      arrange();
    });
  }

  const bar = document.createElement("div");
  bar.dataset.part = "filters";
  const search = document.createElement("input");
  search.type = "search";
  search.placeholder = "Filter";
  search.setAttribute("aria-label", "Show only rows with these words");
  search.value = view.search;
  search.addEventListener("input", () => {
    view.search = search.value;
    arrange();
  });
  bar.append(search);
  for (const head of heads.filter((head) => head.dataset.only)) {
    const key = head.dataset.column ?? "";
    const label = document.createElement("label");
    const box = document.createElement("input");
    box.type = "checkbox";
    box.checked = view.only.has(key);
    box.addEventListener("change", () => {
      if (box.checked) view.only.add(key);
      else view.only.delete(key);
      arrange();
    });
    label.append(box, ` ${head.dataset.only}`);
    bar.append(label);
  }
  const count = document.createElement("span");
  count.setAttribute("role", "status");
  bar.append(count);
  box.before(bar);
  arrange();

  /** @type {Mounted["update"]} */
  const update = (next) => {
    const fresh = /** @type {HTMLTableElement} */ (next.querySelector("table"));
    const rows = [...fresh.tBodies[0].rows];
    if (rows.length !== original.length || fresh.tHead?.textContent !== table.tHead?.textContent) return false;
    original.forEach((row, index) => patch(row, rows[index]));
    table.createCaption().textContent = fresh.caption?.textContent ?? "";
    box.setAttribute("aria-label", next.getAttribute("aria-label") ?? "");
    arrange();
    return true;
  };
  return { bar, box, update };
}

/**
 * Only what changes is touched: most cells of a row say the same after the next keystroke.
 * @param {HTMLTableRowElement} row
 * @param {HTMLTableRowElement} next
 */
function patch(row, next) {
  if (row.isEqualNode(next)) return;
  const cells = [...next.cells];
  [...row.cells].forEach((cell, index) => {
    const other = cells[index];
    if (cell.isEqualNode(other)) return;
    const { value } = other.dataset;
    // A digit that is not shown.
    if (value !== undefined && cell.textContent === other.textContent) cell.dataset.value = value;
    else cell.replaceWith(other);
  });
}

/**
 * Numbers before words; what is missing comes last, whatever the direction.
 * @param {HTMLTableCellElement} a
 * @param {HTMLTableCellElement} b
 * @param {boolean} down
 */
function compare(a, b, down) {
  const [x, y] = [a, b].map(({ dataset }) => (dataset.value === undefined ? Number.NaN : Number(dataset.value)));
  const sign = down ? -1 : 1;
  if (!Number.isNaN(x) && !Number.isNaN(y)) return sign * (x - y || 0);
  if (!Number.isNaN(x) || !Number.isNaN(y)) return Number.isNaN(x) ? 1 : -1;
  return sign * (a.textContent ?? "").localeCompare(b.textContent ?? "", "en", { numeric: true });
}
