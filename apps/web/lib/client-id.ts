import { createPlace } from './storage.ts';

/** A name for this page that a reload keeps, so that it can have its own terminals back. A duplicate of the page gets another one. */
export function takeClientId(): string {
  const place = createPlace('session', 'client');
  const kept = place.read();
  const id = typeof kept === 'string' ? kept : crypto.getRandomValues(new Uint32Array(4)).join('-');
  place.clear();
  window.addEventListener('pagehide', () => place.write(id));
  window.addEventListener('pageshow', () => place.clear());
  return id;
}
