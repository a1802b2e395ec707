// Runs before the page is drawn, so that it is not drawn twice. Light or dark is the system's choice
// until it is chosen here.
(() => {
  const root = document.documentElement;
  const chosen = localStorage.getItem('selvage-theme');
  if (chosen === 'light' || chosen === 'dark') root.dataset.theme = chosen;
})();
