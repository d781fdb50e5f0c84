import { keptToken } from '../app/kept-token.ts';
import { applyTheme, keptPreferences, readPageLook } from '../app/page-look.ts';
import { type Branding, brandingOf, keptBranding, paint } from '../branding/kept.ts';

/**
 * Runs before the page is first painted, and before the page's own script has been fetched: the outline of the workspace
 * appears at once, in the colors and with the name that this browser saw last.
 */
function start(): void {
  const page = document.documentElement;
  const kept = keptPreferences().read();
  const { theme, rail_open, rail_px } = readPageLook(
    typeof kept === 'object' && kept !== null ? { ...kept } : {},
  );
  applyTheme(page, theme);
  const branding = brandingOf(keptBranding().read());
  paint(page, branding);
  if (typeof keptToken().read() !== 'string') return; // the sign-in comes, or the page of another site
  page.dataset['frame'] = rail_open ? 'rail' : 'wide';
  // Not on DOMContentLoaded, which waits for the scripts of the page.
  new MutationObserver((_, observer) => {
    if (!showBrand(branding)) return;
    document.querySelector<HTMLElement>('#frame')?.style.setProperty('--rail', `min(${rail_px}px, 50vw)`);
    observer.disconnect();
  }).observe(page, { childList: true, subtree: true });
}

/** Returns whether its place has been parsed. */
function showBrand({ app_name, logo }: Branding): boolean {
  const name = document.querySelector('#frame .brand-name');
  if (!name) return false;
  name.textContent = app_name;
  if (logo !== null) {
    const image = document.createElement('img');
    image.className = 'brand-logo';
    image.alt = '';
    image.src = new URL(`.${logo}`, document.baseURI).href;
    name.previousElementSibling?.replaceWith(image);
  }
  return true;
}

start();
