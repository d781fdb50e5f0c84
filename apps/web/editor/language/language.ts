import { LanguageDescription } from '@codemirror/language';
import { languages } from '@codemirror/language-data';
import { FILE_TYPES, INTERPRETERS, NAMES, OPENINGS, PLAIN, SUFFIX } from './clues.ts';

/** A language and how it was detected; `clue` is the matching text. */
export type Recognized =
  | {
      readonly by: 'name' | 'inner_name' | 'shebang' | 'modeline' | 'content';
      readonly language: string;
      readonly clue: string;
    }
  | { readonly by: 'plain_name' | 'unknown_ending' | 'unknown_name'; readonly clue: string };

const MODELINE_LINES = 5; // like vim, at either end
const LONGEST_JSON = 262_144; // characters to parse at most when checking for JSON

export const LANGUAGE_NAMES: readonly string[] = languages
  .map(({ name }) => name)
  .sort((a, b) => a.localeCompare(b));

/** How to load the grammar. */
export function descriptionOf(language: string): LanguageDescription | undefined {
  return languages.find(({ name }) => name === language);
}

/** Detects by name, by the name inside `nginx.conf.j2`, by shebang, by modeline, then by the first characters. */
export function recognize(path: string, text: string): Recognized {
  const name = nameIn(path);
  return byInnerName(path) ?? byName(path) ?? plainName(name) ?? byContent(text) ?? unknown(name);
}

function byName(path: string): Recognized | undefined {
  const language = languageOfPath(path);
  return language === undefined ? undefined : { by: 'name', language, clue: nameIn(path) };
}

/** Handles several suffixes, and names such as `LICENSE.tmpl`. */
function byInnerName(path: string): Recognized | undefined {
  const inner = path.replace(SUFFIX, '');
  if (inner === path || nameIn(inner) === '') return undefined;
  const deeper = byInnerName(inner);
  if (deeper) return deeper;
  const language = languageOfPath(inner);
  return language === undefined ? undefined : { by: 'inner_name', language, clue: nameIn(inner) };
}

function languageOfPath(path: string): string | undefined {
  const rooted = path.startsWith('/') ? path : `/${path}`;
  const name = nameIn(path);
  const whole = languages.find(({ filename }) => filename?.test(name))?.name; // before the extension: `CMakeLists.txt`
  const own = whole ?? NAMES.find(([pattern]) => pattern.test(rooted))?.[1];
  if (own !== undefined) return own;
  if (PLAIN.test(rooted)) return undefined;
  const found =
    LanguageDescription.matchFilename(languages, name) ??
    LanguageDescription.matchFilename(languages, name.toLowerCase());
  return found?.name;
}

function plainName(name: string): Recognized | undefined {
  return PLAIN.test(`/${name}`) ? { by: 'plain_name', clue: name } : undefined;
}

function byContent(text: string): Recognized | undefined {
  return byShebang(text) ?? byModeline(text) ?? byOpening(text);
}

function byShebang(text: string): Recognized | undefined {
  const words = /^#!\s*(\S.*)/.exec(text)?.[1]?.trim().split(/\s+/) ?? [];
  const program = words.map(nameIn).find((word) => word !== 'env' && !/^-|=/.test(word));
  if (program === undefined) return undefined;
  const bare = program.toLowerCase().replace(/[\d.]+$/, '');
  const language = INTERPRETERS.get(bare) ?? languageNamed(bare);
  return language === undefined ? undefined : { by: 'shebang', language, clue: program };
}

/** Modelines of vim (`vim: set ft=yaml:`) and Emacs (`-*- mode: python -*-`). */
function byModeline(text: string): Recognized | undefined {
  const lines = [
    ...text.split('\n', MODELINE_LINES),
    ...text.slice(-1000).split('\n').slice(-MODELINE_LINES),
  ];
  for (const line of lines) {
    const type =
      /\b(?:vim?|ex):.*\b(?:ft|filetype|syntax)=([\w+#-]+)/.exec(line)?.[1] ??
      /-\*-.*\bmode:\s*([\w+#-]+)/i.exec(line)?.[1] ??
      /-\*-\s*([\w+#-]+)\s*-\*-/.exec(line)?.[1];
    const language = type && (FILE_TYPES.get(type.toLowerCase()) ?? languageNamed(type.toLowerCase()));
    if (type && language) return { by: 'modeline', language, clue: type };
  }
  return undefined;
}

function byOpening(text: string): Recognized | undefined {
  const found = OPENINGS.find(([pattern]) => pattern.test(text))?.[1] ?? (isJson(text) ? 'JSON' : undefined);
  return found === undefined ? undefined : { by: 'content', language: found, clue: '' };
}

function isJson(text: string): boolean {
  if (text.length > LONGEST_JSON || !/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function unknown(name: string): Recognized {
  const ending = /[^.](\.[^.]+)$/.exec(name)?.[1];
  return ending ? { by: 'unknown_ending', clue: ending } : { by: 'unknown_name', clue: name };
}

function languageNamed(name: string): string | undefined {
  return LanguageDescription.matchLanguageName(languages, name, false)?.name;
}

function nameIn(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
