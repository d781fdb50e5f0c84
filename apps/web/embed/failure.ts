import type { Language } from '../i18n/languages.ts';
import { toError } from './errors.ts';
import type { EmbedError } from './events.ts';

/** The texts may be what could not be loaded. */
const OPEN_AGAIN: Readonly<Record<Language, string>> = { en: 'Open again', es: 'Abrir de nuevo' };

const NOT_LOADED: Readonly<Record<Language, string>> = {
  en: 'Could not load part of the page. Check your connection and try again.',
  es: 'No se ha podido cargar una parte de la página. Compruebe su conexión e inténtelo de nuevo.',
};

/** In our words and language: a browser's error names the address of a file. */
export function loadError(error: unknown, language: Language): EmbedError {
  const { code, message } = toError(error);
  return { code, message: code === 'page' ? NOT_LOADED[language] : message };
}

/** Draws what `Ended` shows, which is in a part of the module that may be missing. */
export function drawFailure(message: string, language: Language, again: () => void): HTMLElement {
  const title = document.createElement('strong');
  title.textContent = message;
  const text = document.createElement('span');
  text.className = 'banner-text';
  text.append(title);
  const button = document.createElement('button');
  Object.assign(button, { type: 'button', className: 'button', textContent: OPEN_AGAIN[language] });
  button.addEventListener('click', again);
  const banner = document.createElement('div');
  banner.className = 'banner banner-cut-off banner-bad';
  banner.role = 'alert';
  banner.append(text, button);
  const place = document.createElement('div');
  place.className = 'sallyport';
  place.append(banner);
  return place;
}
