import { keepPreviousData, queryOptions } from '@tanstack/solid-query';
import { type GatewayClient, type Schemas, take } from '#client/client.ts';
import { type RecordingFile, recordingLink } from '#client/recording-links.ts';
import { clickLink } from '../lib/save-file.ts';

export type Recording = Schemas['Recording'];
export type RecordingVerdict = Schemas['RecordingVerdict'];

export const RECORDINGS_KEY = ['recordings'] as const;
export const RECORDINGS_PAGE = 50;
const LOOK_MS = 5000;

/** The search filter. Empty texts and 0 match everything. */
export interface RecordingFilter {
  readonly username: string;
  readonly search: string;
  readonly server_id: number;
  /** Days as `2026-03-01`, both inclusive. */
  readonly since: string;
  readonly until: string;
  /** From 0. */
  readonly page: number;
}

export const ALL_RECORDINGS: RecordingFilter = {
  ...{ username: '', search: '', server_id: 0 },
  ...{ since: '', until: '', page: 0 },
};

/** The filter as the page's address has it. */
export function filterOf(query: Readonly<Record<string, string | string[] | undefined>>): RecordingFilter {
  const text = (name: string) => [query[name]].flat()[0] ?? '';
  const whole = (name: string) => Math.max(0, Math.trunc(Number(text(name))) || 0);
  return {
    ...{ username: text('username'), search: text('search'), server_id: whole('server_id') },
    ...{ since: dayOf(text('since')), until: dayOf(text('until')), page: whole('page') },
  };
}

function dayOf(text: string): string {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : '';
}

/** Parameters for the address; what matches everything is left out. */
export function queryOf(filter: RecordingFilter): Record<keyof RecordingFilter, string | undefined> {
  const { username, search, server_id, since, until, page } = filter;
  return {
    ...{ username: username || undefined, search: search || undefined },
    ...{ since: since || undefined, until: until || undefined },
    ...{ server_id: server_id ? String(server_id) : undefined, page: page ? String(page) : undefined },
  };
}

export function isFiltered(filter: RecordingFilter): boolean {
  return conditionsOf(filter).length > 0;
}

export function conditionsOf({ username, search, server_id, since, until }: Omit<RecordingFilter, 'page'>) {
  const conditions = [
    ['username', username.trim()],
    ['search', search.trim()],
    ['server_id', server_id],
    ['from', startOf(since)],
    ['to', startOf(until, 1)],
  ] as const;
  return conditions.filter(([, value]) => value !== '' && value !== 0);
}

/** The instant at which a day begins here, or the day after it. */
function startOf(day: string, days_later = 0): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return day === '' ? '' : new Date(year, month - 1, date + days_later).toISOString();
}

export function recordingsQuery(client: GatewayClient, filter: RecordingFilter) {
  const query = {
    ...Object.fromEntries(conditionsOf(filter)),
    limit: RECORDINGS_PAGE,
    offset: filter.page * RECORDINGS_PAGE,
  };
  return queryOptions({
    queryKey: [...RECORDINGS_KEY, query],
    queryFn: async ({ signal }) => {
      const answer = await client.http.GET('/api/recordings', { params: { query }, signal });
      const total = Number(answer.response.headers.get('X-Total-Count') ?? 0);
      return { page: filter.page, recordings: answer.data ?? [], total };
    },
    // A recording in progress will change soon.
    refetchInterval: ({ state }) => (state.data?.recordings.some(isOpen) ? LOOK_MS : false),
    placeholderData: keepPreviousData,
    reconcile: 'id',
  });
}

export function recordingQuery(client: GatewayClient, id: number) {
  return queryOptions({
    queryKey: [...RECORDINGS_KEY, id],
    queryFn: ({ signal }) =>
      take(client.http.GET('/api/recordings/{id}', { params: { path: { id } }, signal })),
    retry: false,
  });
}

export function isOpen({ status }: Recording): boolean {
  return status === 'recording';
}

/** `1:02:03`, or `2:03`. */
export function formatDuration(seconds: number): string {
  const whole = Math.round(seconds);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  const two = (value: number) => String(value).padStart(2, '0');
  return hours > 0 ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}

/** Opens a tab immediately, or the browser would block it as a pop-up. */
export async function showRecording(
  client: GatewayClient,
  { id }: Recording,
  { file, blocked }: { file: Exclude<RecordingFile, 'download'>; blocked: string },
): Promise<void> {
  const tab = window.open('', '_blank');
  if (!tab) throw new Error(blocked);
  try {
    tab.opener = null;
    tab.location.replace(await recordingLink(client, { id, file }));
  } catch (error) {
    tab.close();
    throw error;
  }
}

const LARGE_BYTES = 8 * 1024 * 1024; // a browser tab takes half a minute for this much text, or hangs

/** Too large to read as text in a tab. */
export function isLarge({ size_bytes }: Pick<Recording, 'size_bytes'>): boolean {
  return (size_bytes ?? 0) > LARGE_BYTES;
}

export async function saveRecordingText(client: GatewayClient, { id }: Recording): Promise<void> {
  clickLink(await recordingLink(client, { id, file: 'text' }), '');
}

export async function saveRecording(client: GatewayClient, { id }: Recording): Promise<void> {
  clickLink(await recordingLink(client, { id, file: 'download' }), '');
}

export function verifyRecording(client: GatewayClient, { id }: Recording): Promise<RecordingVerdict> {
  return take(client.http.GET('/api/recordings/{id}/verify', { params: { path: { id } } }));
}

export async function deleteRecording(client: GatewayClient, { id }: Recording): Promise<void> {
  await client.http.DELETE('/api/recordings/{id}', { params: { path: { id } } });
}
