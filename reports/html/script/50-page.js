// Pictures are drawn when they come into sight first, and before they are printed.
const figures = new Map();

function drawn(figure) {
  if (!figures.has(figure)) figures.set(figure, new Figure(figure));
  return figures.get(figure);
}

const watching = new IntersectionObserver(seen => {
  for (const { isIntersecting, target } of seen) if (isIntersecting) { watching.unobserve(target); drawn(target); }
}, { rootMargin: '300px' });
for (const figure of document.querySelectorAll('figure.lanes')) watching.observe(figure);

addEventListener('beforeprint', () => {
  for (const row of document.querySelectorAll('.row[data-verdict=fail]')) row.open = true;
  for (const figure of document.querySelectorAll('figure.lanes')) {
    const it = drawn(figure);
    it.zoom = 1;
    it.draw(700);
  }
});

addEventListener('afterprint', () => { for (const figure of figures.values()) figure.draw(); });

for (const button of document.querySelectorAll('.copy')) {
  button.addEventListener('click', async () => {
    const command = button.parentElement.querySelector('code');
    getSelection().selectAllChildren(command);
    try {
      await navigator.clipboard.writeText(command.textContent);
      button.textContent = 'Copied';
    } catch {
      // Where a browser refuses, the command is selected.
      button.textContent = 'Selected';
    }
  });
}

document.getElementById('theme').addEventListener('click', () => {
  const root = document.documentElement, dark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  root.dataset.theme = dark ? 'light' : 'dark';
});
