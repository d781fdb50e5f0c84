import { keepPreviousData, queryOptions } from '@tanstack/solid-query';
import { type GatewayClient, type Schemas, take } from '#client/client.ts';
import { type RecordingFile, recordingLink } from '#client/recording-links.ts';
import type { paths } from '#client/schema.gen.ts';
import { clickLink } from '../lib/save-file.ts';

export type Recording = Schemas['Recording'];
export type RecordingVerdict = Schemas['RecordingVerdict'];

export const RECORDINGS_KEY = ['recordings'] as const;
export const RECORDINGS_PAGE = 50;
const LOOK_MS = 5000;

/** Which recordings to list: those of a user and a server, of a period, with a text in their names. */
export type RecordingConditions = Pick<
  NonNullable<paths['/api/recordings']['get']['parameters']['query']>,
  'server_id' | 'username' | 'search' | 'from' | 'to'
>;

export function recordingsQuery(client: GatewayClient, conditions: RecordingConditions, page: number) {
  const query = { ...conditions, limit: RECORDINGS_PAGE, offset: page * RECORDINGS_PAGE };
  return queryOptions({
    queryKey: [...RECORDINGS_KEY, query],
    queryFn: async ({ signal }) => {
      const answer = await client.http.GET('/api/recordings', { params: { query }, signal });
      const total = Number(answer.response.headers.get('X-Total-Count') ?? 0);
      return { page, recordings: answer.data ?? [], total };
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
