import { render } from 'solid-js/web';
import { applyTheme } from '../app/page-look.ts';
import { readPreferences } from '../app/preferences.ts';
import { createPlace } from '../lib/storage.ts';
import { Brand } from '../parts/brand.tsx';
import { Search } from './search.tsx';
import '../styles/fonts/fonts.ts';
import '../styles/tokens.css';
import '../styles/base.css';
import '../parts/marked.css';
import './help.css';

const GATEWAY = new URL('..', document.baseURI).href; // the page of the gateway, whose theme counts here too

/** Wide tables and code scroll: a keyboard must reach those that do. */
function keepReachable(element: HTMLElement): void {
  const size = new ResizeObserver(() => {
    if (element.scrollWidth > element.clientWidth) element.tabIndex = 0;
    else element.removeAttribute('tabindex');
  });
  size.observe(element);
}

/** On narrow screens, a button shows and hides the contents. */
function followButton(button: HTMLElement): void {
  button.addEventListener('click', () => {
    const is_open = document.body.classList.toggle('help-contents-open');
    button.setAttribute('aria-expanded', String(is_open));
  });
}

applyTheme(
  document.documentElement,
  readPreferences(createPlace('local', 'preferences', GATEWAY).read(), []).theme,
);
for (const element of document.querySelectorAll<HTMLElement>('.scrolls')) keepReachable(element);
const button = document.querySelector<HTMLElement>('.help-contents-button');
if (button) followButton(button);
const home = document.querySelector('.help-home');
if (home) {
  const name = home.textContent;
  home.textContent = '';
  render(() => <Brand name={name} />, home);
}
const place = document.querySelector('#search');
if (place) render(() => <Search />, place);
