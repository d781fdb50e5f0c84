import { type GatewayClient, type Schemas, take } from '#client/client.ts';
import type { FieldError } from '#client/transport/client-error.ts';
import type { TextKey, Values } from '../../i18n/languages.ts';

export type ImportedServers = Schemas['ImportedServers'];
export type ImportedHostKeys = Schemas['ImportedHostKeys'];

export const MAX_SERVERS_BYTES = 8 * 1024 * 1024 - 1024; // the gateway's body limit, less the JSON around the text
export const MAX_TEXT_BYTES = 1024 * 1024 - 1024;

/** What a text contains, recognized before it is sent. */
export type Preview =
  | { readonly kind: 'empty' }
  | { readonly kind: 'bad'; readonly why: TextKey; readonly values?: Values }
  | { readonly kind: 'servers'; readonly names: readonly string[]; readonly servers: readonly object[] }
  | { readonly kind: 'ssh_config'; readonly names: readonly string[] };

/** Each name once. */
export function namesIn(preview: Preview): readonly string[] {
  return 'names' in preview ? [...new Set(preview.names)] : [];
}

/** An export starts with a bracket; an OpenSSH configuration never does. */
export function previewOf(text: string): Preview {
  const content = text.replace(/^\uFEFF/, '').trim();
  if (content === '') return { kind: 'empty' };
  return /^[[{]/.test(content) ? previewOfExport(content) : previewOfSshConfig(content);
}

function previewOfExport(content: string): Preview {
  const parsed = parse(content);
  if (parsed instanceof Error)
    return { kind: 'bad', why: 'import_no_json', values: { reason: parsed.message } };
  const servers = listIn(parsed);
  if (!servers) return { kind: 'bad', why: 'import_no_list' };
  if (servers.length === 0) return { kind: 'bad', why: 'import_empty_list' };
  const names = servers.map(nameOf);
  const nameless = names.indexOf(undefined);
  if (nameless >= 0) return { kind: 'bad', why: 'import_no_name', values: { number: nameless + 1 } };
  return { kind: 'servers', names: names.filter(isText), servers: servers.filter(isRecord) };
}

/** A preview only: the gateway skips hosts it cannot use and adds jump hosts. */
function previewOfSshConfig(content: string): Preview {
  const names = content.split(/\r?\n/).flatMap(hostsOf);
  if (names.length === 0) return { kind: 'bad', why: 'import_no_hosts' };
  return { kind: 'ssh_config', names: [...new Set(names)] };
}

function hostsOf(line: string): string[] {
  const patterns = /^\s*host(?:\s*=\s*|\s+)(.+?)\s*$/i.exec(line)?.[1] ?? '';
  const words = patterns.match(/"[^"]*"|[^\s"]+/g) ?? [];
  const comment = words.findIndex((word) => word.startsWith('#'));
  return (comment < 0 ? words : words.slice(0, comment))
    .map((word) => word.replaceAll('"', ''))
    .filter((word) => word !== '' && !/[*?!]/.test(word));
}

/** Accepts the array of an export or the request body of the import. */
function listIn(parsed: unknown): readonly unknown[] | undefined {
  const list = isRecord(parsed) && 'servers' in parsed ? parsed['servers'] : parsed;
  return Array.isArray(list) ? list : undefined;
}

function nameOf(server: unknown): string | undefined {
  const name = isRecord(server) ? server['name'] : undefined;
  return isText(name) && name.trim() !== '' ? name : undefined;
}

function parse(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch (error) {
    return error;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

export interface ImportOptions {
  /** Which of the names that were found. */
  readonly chosen: readonly string[];
  readonly group: string;
  readonly username: string;
}

export function sendImport(
  client: GatewayClient,
  text: string,
  { chosen, group, username }: ImportOptions,
): Promise<ImportedServers> {
  const preview = previewOf(text);
  if (preview.kind === 'servers') {
    const wanted = preview.servers.filter((_, index) => chosen.includes(preview.names[index] ?? ''));
    return take(client.http.POST('/api/servers/import', { body: { servers: serversOf(wanted) } }));
  }
  const login = username.trim() === '' ? {} : { username: username.trim() };
  const body = { text, group: group.trim(), hosts: [...chosen], ...login };
  return take(client.http.POST('/api/servers/import/ssh-config', { body }));
}

export function sendHostKeys(client: GatewayClient, text: string): Promise<ImportedHostKeys> {
  return take(client.http.POST('/api/servers/host-keys/import', { body: { text } }));
}

/** Unchecked: the gateway validates each server and fills in defaults. */
function serversOf(servers: readonly object[]): Schemas['ImportedServer'][] {
  return servers as Schemas['ImportedServer'][];
}

/** Where an error is, with the server's name in place of its index, as in `servers.3.port`. */
export function placeOf({ path }: FieldError, names: readonly string[]): string {
  const [, index, ...rest] = /^servers\.(\d+)(?:\.(.*))?$/.exec(path) ?? [];
  const name = index === undefined ? undefined : names[Number(index)];
  return [name ?? (index === undefined ? path : undefined), ...rest].filter((part) => part).join(' · ');
}

export async function exportServers(client: GatewayClient): Promise<Blob> {
  const servers = await take(client.http.GET('/api/servers/export'));
  return new Blob([`${JSON.stringify(servers, undefined, 2)}\n`], { type: 'application/json' });
}
