import type { Language } from '../i18n/languages.ts';

/** The texts may be what could not be loaded. */
const OPEN_AGAIN: Readonly<Record<Language, string>> = { en: 'Open again', es: 'Abrir de nuevo' };

/** As `Ended`, which is in a part of the module that may be missing. */
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
