import { normalized } from '#core/lib/text/fold.ts';
import { OTHER_PARTS, OTHER_TOPICS, OTHER_WORDS, PASSWORD, PASSWORD_ALONE } from './password-words.ts';

const MAX_CHARACTERS = 1024; // the time to normalize a text of a host grows with the square of its length

export interface PasswordPrompt {
  readonly prompt: string;
  /** The title and the instructions of its round. */
  readonly about: string;
  /** Names of the user and the host, which mean nothing in a prompt, whatever words they hold. */
  readonly names: readonly string[];
}

/**
 * Whether the prompt asks for the password of the account, and for nothing else; RFC 4256 §3.1 leaves that to its text. The
 * answer is no when in doubt: what checks codes may log them, and lock the account.
 */
export function asksForPassword({ prompt, about, names }: PasswordPrompt): boolean {
  if (endsOf(about).some((text) => TOPICS.test(fold(text)))) return false;
  const ignored = ignoredNames(names);
  const ends = endsOf(prompt.trimEnd()).map((text) => withoutNames(fold(text), ignored));
  if (ends.some(isAboutOther)) return false;
  const line = ends.at(-1)?.split('\n').at(-1) ?? '';
  return HAS_PASSWORD.test(line) || IS_ALONE.test(line.replaceAll(NOT_LETTERS, ' ').trim());
}

/** The text, or its beginning and its end. */
function endsOf(text: string): readonly string[] {
  if (text.length <= MAX_CHARACTERS) return [text];
  return [text.slice(0, MAX_CHARACTERS), text.slice(-MAX_CHARACTERS)];
}

function isAboutOther(text: string): boolean {
  const rest = text.replaceAll(PASSWORDS, ' ');
  return WORDS.test(rest) || PARTS.test(rest);
}

/** Makes full-width letters and colons plain and capitals small, and removes the accents of letters. */
function fold(text: string): string {
  const plain = normalized(text, 'NFKD').replaceAll(/[\u0300-\u036f]/g, '');
  return normalized(plain).toLowerCase();
}

/** Without names that are such words themselves: a user named "pin" must not hide a prompt for a PIN. */
function ignoredNames(names: readonly string[]): readonly string[] {
  const folded = names.map((name) => fold(name.slice(0, MAX_CHARACTERS)));
  return folded.filter((name) => name !== '' && !MEANINGFUL.has(name));
}

/** Also removes `user@host`. */
function withoutNames(text: string, names: readonly string[]): string {
  const bare = text.replaceAll(/[^\s@(]{1,255}@[^\s@):]{1,255}/g, ' ');
  return names.length === 0 ? bare : bare.replaceAll(new RegExp(wholeWord(names), 'gu'), ' ');
}

function wholeWord(words: readonly string[]): string {
  return `(?<![\\p{L}\\p{N}])(?:${anyOf(words)})(?![\\p{L}\\p{N}])`;
}

function anyOf(words: readonly string[]): string {
  return words.map((word) => word.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|');
}

const passwords = PASSWORD.map(fold);
const alone = PASSWORD_ALONE.map(fold);
const words = OTHER_WORDS.map(fold);
const parts = OTHER_PARTS.map(fold);
const MEANINGFUL: ReadonlySet<string> = new Set([...passwords, ...alone, ...words, ...parts]);

const NOT_LETTERS = /[^\p{L}\p{M}\p{N}]+/gu;
const HAS_PASSWORD = new RegExp(anyOf(passwords));
const PASSWORDS = new RegExp(`${anyOf(passwords)}|${wholeWord(alone)}`, 'gu');
const IS_ALONE = new RegExp(`^(?:${anyOf(alone)})$`);
const WORDS = new RegExp(wholeWord(words), 'u');
const PARTS = new RegExp(anyOf(parts));
const TOPICS = new RegExp(anyOf(OTHER_TOPICS.map(fold)));
