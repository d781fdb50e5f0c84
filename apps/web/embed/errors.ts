import type { EmbedError } from './events.ts';

/** A page may throw anything from its `getTicket`. */
export function toError(error: unknown): EmbedError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'page';
  return { code, message: messageOf(error) };
}

function messageOf(error: unknown): string {
  if (typeof error === 'string') return error;
  const message: unknown = typeof error === 'object' && error !== null && Reflect.get(error, 'message');
  return typeof message === 'string' && message !== '' ? message : 'Unknown error';
}
