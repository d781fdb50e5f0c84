import { Fault } from '#core/errors.ts';
import { describeOtherFormat } from './other-formats.ts';

/** What a person pasted, as far as it is known without reading it. */
export interface KeyText {
  readonly kind: 'openssh' | 'pem' | 'putty';
  /** Follows "This is": `an OpenSSH key`. */
  readonly name: string;
  /** Line feeds only, no blanks at the edges of the file; of PEM texts the block of the key alone. */
  readonly text: string;
}

const PEM_NAMES: Readonly<Record<string, string>> = {
  'OPENSSH PRIVATE KEY': 'an OpenSSH key',
  'RSA PRIVATE KEY': 'a PEM key (PKCS#1 RSA)',
  'EC PRIVATE KEY': 'a PEM key (SEC1 EC)',
  'DSA PRIVATE KEY': 'a PEM key (DSA)',
  'PRIVATE KEY': 'a PEM key (PKCS#8)',
  'ENCRYPTED PRIVATE KEY': 'a PEM key (PKCS#8)',
};

/** Tells the form of a private key; throws with what it is when it is none. */
export function recogniseKey(private_key: string): KeyText {
  const text = tidy(private_key);
  const putty = /^PuTTY-User-Key-File-(\d{1,3}):/.exec(text);
  if (putty) return { kind: 'putty', name: `a PuTTY key (version ${putty[1]})`, text };
  const begin = /-----BEGIN ([A-Z0-9 ]{0,40}PRIVATE KEY)-----/.exec(text);
  if (begin) return pemText(text.slice(begin.index), begin[1] ?? '');
  throw new Fault('unreadable_private_key', describeOtherFormat(text) ?? 'This is not a private key');
}

export function unreadable({ name }: KeyText, what: string, cause?: unknown): Fault {
  return new Fault('unreadable_private_key', `This is ${name}${what}`, { cause });
}

export function damaged(key: KeyText, how = 'it is damaged', cause?: unknown): Fault {
  return unreadable(key, `: ${how}`, cause);
}

// A mark of the byte order is white space to JavaScript. Blanks at the end of a line may belong to a PuTTY comment.
function tidy(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/^[^\S\n]+/gm, '')
    .trim();
}

function pemText(text: string, label: string): KeyText {
  const name = PEM_NAMES[label];
  if (!name) {
    throw new Fault('unreadable_private_key', `This is a key of an unknown form (-----BEGIN ${label}-----)`);
  }
  const key: KeyText = { kind: label.startsWith('OPENSSH') ? 'openssh' : 'pem', name, text };
  const end = text.indexOf(`-----END ${label}-----`);
  if (end < 0) throw damaged(key, 'it is cut off, its END line is missing');
  const [begin, body] = [`-----BEGIN ${label}-----`, text.slice(`-----BEGIN ${label}-----`.length, end)];
  return { ...key, text: `${begin}\n${rewrap(key, body)}\n-----END ${label}-----` };
}

/** Base64 in lines of 64 characters, however it was pasted, after the headers if there are any. */
function rewrap(key: KeyText, body: string): string {
  const [, headers = '', base64 = ''] = /^\s*((?:[A-Za-z-]+: [^\n]*\n)*)([\s\S]*)$/.exec(body) ?? [];
  const compact = base64.replace(/\s+/g, '');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(compact)) throw damaged(key);
  const lines = compact.replace(/(.{64})(?=.)/g, '$1\n');
  return headers === '' ? lines : `${headers.replace(/[^\S\n]+$/gm, '')}\n${lines}`;
}

/** What stands between the BEGIN and the END line. */
export function pemBytes({ text }: KeyText): Buffer {
  return Buffer.from(text.split('\n').slice(1, -1).join(''), 'base64');
}
