// The one script of a figure's output: inflates the painter that it carries, and runs it.
// Without this ability (browsers before 2023) the still picture stays.
(async () => {
  const packed = Uint8Array.from(atob("PACKED"), (c) => c.charCodeAt(0));
  const inflated = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  const run = document.createElement("script");
  run.textContent = await new Response(inflated).text();
  document.head.append(run);
  run.remove();
})();
