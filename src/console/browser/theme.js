// Runs before the first paint, which avoids a flash of the other theme. The system's setting applies
// until a theme is chosen here.
(() => {
  const root = document.documentElement;
  const chosen = localStorage.getItem('selvage-theme');
  if (chosen === 'light' || chosen === 'dark') root.dataset.theme = chosen;
})();
