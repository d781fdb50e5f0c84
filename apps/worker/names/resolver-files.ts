import { readFile, stat } from 'node:fs/promises';

/** How short names are completed; see resolv.conf(5). */
export interface Search {
  readonly domains: readonly string[];
  readonly ndots: number;
}

/** The files of the system's resolver; a change takes effect with the next lookup. */
export interface ResolverFiles {
  hosts(): Promise<ReadonlySet<string>>;
  search(): Promise<Search>;
}

export function createResolverFiles(hosts = '/etc/hosts', resolv_conf = '/etc/resolv.conf'): ResolverFiles {
  return { hosts: parsedFile(hosts, toHosts), search: parsedFile(resolv_conf, toSearch) };
}

/** Parsed again only after a change: hosts files that block advertisements have 100,000 lines. */
function parsedFile<T>(path: string, parse: (text: string) => T): () => Promise<T> {
  let last: { readonly mark: string; readonly value: T } | undefined;
  return async () => {
    const mark = await markOf(path);
    if (last?.mark !== mark) last = { mark, value: parse(await textOf(path)) };
    return last.value;
  };
}

async function markOf(path: string): Promise<string> {
  try {
    const { ino, size, mtimeMs } = await stat(path);
    return `${ino} ${size} ${mtimeMs}`;
  } catch {
    return ''; // missing or unreadable counts as empty
  }
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch {
    return '';
  }
}

function toHosts(text: string): ReadonlySet<string> {
  const names = text.split('\n').flatMap((line) => wordsOf(line.replace(/#.*/, '')).slice(1));
  return new Set(names.map((name) => name.toLowerCase()));
}

function toSearch(text: string): Search {
  let domains: string[] = [];
  let ndots = 1;
  for (const [keyword, ...values] of text.split('\n').map(wordsOf)) {
    if (keyword === 'search' || keyword === 'domain') domains = values.filter((domain) => domain !== '.');
    if (keyword === 'options') ndots = ndotsIn(values) ?? ndots;
  }
  return { domains, ndots };
}

function ndotsIn(options: readonly string[]): number | undefined {
  const value = options.findLast((option) => /^ndots:\d+$/.test(option))?.slice('ndots:'.length);
  return value === undefined ? undefined : Number(value);
}

function wordsOf(line: string): string[] {
  return line.split(/\s+/).filter((word) => word !== '');
}

/** The full names that the system tries in order. */
export function fullNames(hostname: string, { domains, ndots }: Search): string[] {
  if (hostname.endsWith('.')) return [hostname];
  const dots = hostname.split('.').length - 1;
  const completed = domains.map((domain) => `${hostname}.${domain}`);
  return dots >= ndots ? [hostname, ...completed] : [...completed, hostname];
}
