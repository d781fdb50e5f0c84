import { Fault } from '../errors.ts';
import type { RecordingRow, RecordingVerdict } from '../model/recording.ts';
import type { CastEnd, Casts } from '../ports/casts.ts';
import type { Repositories } from '../ports/repositories.ts';
import { type Closed, closedInDetail, recordingLabel } from './entries.ts';

const LOOKED_AT = 50; // matching entries: normally one, unless somebody forged more

interface Deps {
  readonly repositories: Pick<Repositories, 'audit'>;
  readonly casts: Casts;
}

/** How the audit log says the recording was closed. */
interface Evidence extends Closed {
  readonly entry_id: number;
  readonly user_id: number | null;
}

/** Verifies the file and its row against the audit log. */
export async function verdictOn(row: RecordingRow, deps: Deps): Promise<RecordingVerdict> {
  const evidence = await evidenceOf(row, deps);
  const file = row.status === 'recording' ? undefined : await digestOf(row, evidence, deps);
  const reason = reasonOf(row, file, evidence);
  return {
    ok: reason === null,
    reason,
    sha256: file?.sha256 ?? null,
    expected_sha256: evidence?.sha256 ?? null,
    size_bytes: file?.size_bytes ?? null,
    audit_entry_id: evidence?.entry_id ?? null,
  };
}

function reasonOf(
  row: RecordingRow,
  file: CastEnd | undefined,
  evidence: Evidence | undefined,
): RecordingVerdict['reason'] {
  if (row.status === 'recording') return 'in_progress';
  if (!file) return 'file_missing';
  if (!evidence) return 'not_in_audit_log';
  if (file.sha256 !== evidence.sha256) return 'changed';
  const agrees =
    row.sha256 === evidence.sha256 &&
    row.size_bytes === evidence.size_bytes &&
    row.user_id === evidence.user_id;
  return agrees ? null : 'row_changed';
}

/** The newest entry: an instance that was taken for dead closes its recording again. */
async function evidenceOf(row: RecordingRow, { repositories }: Deps): Promise<Evidence | undefined> {
  const filter = { action: 'recording_close', search: recordingLabel(row) };
  const entries = await repositories.audit.page(filter, { limit: LOOKED_AT, offset: 0 });
  for (const { id, user_id, detail } of entries) {
    const closed = closedInDetail(row, detail);
    if (closed) return { ...closed, entry_id: id, user_id };
  }
  return undefined;
}

/** Stops where the file is clearly longer than it was: what a store sends may have no end. */
async function digestOf(
  { file_path, size_bytes }: RecordingRow,
  evidence: Evidence | undefined,
  { casts }: Deps,
): Promise<CastEnd | undefined> {
  try {
    return await casts.digest(file_path, evidence?.size_bytes ?? size_bytes ?? undefined);
  } catch (error) {
    if (error instanceof Fault && error.code === 'recording_file_missing') return undefined;
    throw error;
  }
}
