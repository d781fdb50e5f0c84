import { serverLabel } from '../audit/trail.ts';
import type { RecordingRow } from '../model/recording.ts';
import type { RecordingEnd } from '../ports/repositories/recordings.ts';

type Labelled = Pick<RecordingRow, 'id' | 'file_path'>;

/** Names a recording in entries. Comes first, because users can choose what follows, such as the server name. */
export function recordingLabel({ id, file_path }: Labelled): string {
  return `#${id} ${file_path}`;
}

export function serverOfRecording(server: { readonly id: number | null; readonly name: string }): string {
  return server.id === null ? server.name : serverLabel({ id: server.id, name: server.name });
}

/** Detail of `recording_close`: the state of the closed file. */
export function closeDetail(row: RecordingRow, end: RecordingEnd): string {
  const content = end.sha256 === null ? 'no file' : `sha256 ${end.sha256}, ${end.size_bytes} bytes`;
  const how = end.status === 'interrupted' ? `, interrupted, of ${row.username}` : '';
  const server = serverOfRecording({ id: row.server_id, name: row.server_name });
  return `${recordingLabel(row)}: ${content}, ${server}${how}`;
}

/** Names a deleted or viewed recording in entries. */
export function describeRecording({
  id,
  server_id,
  server_name,
  username,
  started_at,
}: RecordingRow): string {
  const server = serverOfRecording({ id: server_id, name: server_name });
  return `#${id} of ${username} on ${server}, started ${started_at}`;
}

export interface Closed {
  readonly sha256: string;
  readonly size_bytes: number;
}

/** Parses such a detail; null when there was no file, undefined when it names another recording. */
export function closedInDetail(row: Labelled, detail: string): Closed | null | undefined {
  const label = `${recordingLabel(row)}: `;
  if (!detail.startsWith(label)) return undefined;
  const [, sha256, size] = /^sha256 ([0-9a-f]{64}), (\d+) bytes,/.exec(detail.slice(label.length)) ?? [];
  return sha256 === undefined ? null : { sha256, size_bytes: Number(size) };
}
