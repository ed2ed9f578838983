"use strict";
// Filters and sorts the list of clusters. Without it the list is as the scan gave it.
(() => {
  const list = document.getElementById("list");
  const tools = document.getElementById("tools");
  if (!list || !tools) return;
  const filter = document.getElementById("filter");
  const sort = document.getElementById("sort");
  const matches = document.getElementById("matches");
  const clusters = Array.from(list.children, (element) => {
    const texts = Array.from(element.querySelectorAll(".path, .title, .kind"), (node) => node.textContent);
    const { number, size, bytes, weakest } = element.dataset;
    return {
      element, text: texts.join("\n").toLowerCase(),
      number: Number(number), size: Number(size), bytes: Number(bytes), weakest: Number(weakest),
    };
  });
  const orders = {
    number: () => 0,
    bytes: (a, b) => b.bytes - a.bytes,
    size: (a, b) => b.size - a.size,
    weakest: (a, b) => a.weakest - b.weakest,
    strongest: (a, b) => b.weakest - a.weakest,
  };
  const show = () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const cluster of clusters) {
      const isShown = words.every((word) => cluster.text.includes(word));
      cluster.element.hidden = !isShown;
      if (isShown) shown += 1;
    }
    matches.textContent = `${shown.toLocaleString("en")} of ${clusters.length.toLocaleString("en")} clusters`;
  };
  const arrange = () => {
    const order = orders[sort.value] || orders.number;
    clusters.sort((a, b) => order(a, b) || a.number - b.number);
    list.append(...clusters.map((cluster) => cluster.element));
  };
  filter.addEventListener("input", show);
  sort.addEventListener("change", arrange);
  tools.addEventListener("submit", (event) => event.preventDefault());
  tools.hidden = false;
  arrange();
  show();
})();
