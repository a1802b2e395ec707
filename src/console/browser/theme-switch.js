import { byId, fill, icon } from './element.js';
import { say } from './texts.js';

const SUN =
  'M12 4V2M12 22v-2M4 12H2M22 12h-2M6.3 6.3 4.9 4.9M19.1 19.1l-1.4-1.4M6.3 17.7l-1.4 1.4M19.1 4.9l-1.4 1.4M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8Z';
const MOON = 'M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5Z';

const system = matchMedia('(prefers-color-scheme: dark)');

const isDark = () => {
  const { theme } = document.documentElement.dataset;
  return theme ? theme === 'dark' : system.matches;
};

/** Sets up the button between light and dark mode; the browser remembers the choice. */
export function installThemeSwitch() {
  const button = byId('theme');
  const draw = () => {
    const dark = isDark();
    button.setAttribute('aria-label', dark ? say('bar.light') : say('bar.dark'));
    button.title = button.getAttribute('aria-label') ?? '';
    fill(button, icon(dark ? SUN : MOON));
  };
  button.addEventListener('click', () => {
    const theme = isDark() ? 'light' : 'dark';
    document.documentElement.dataset.theme = theme;
    localStorage.setItem('selvage-theme', theme);
    draw();
  });
  system.addEventListener('change', draw);
  draw();
}
