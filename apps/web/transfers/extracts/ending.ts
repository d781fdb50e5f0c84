import type { ExtractEvent } from '#client/transfers/archive.ts';
import { ClientError } from '#client/transport/client-error.ts';
import type { TransferFailure, TransferRow } from '../row.ts';

export type ExtractNews<Type extends ExtractEvent['type']> = Extract<ExtractEvent, { type: Type }>;
type End = ExtractNews<'done'> | ExtractNews<'error'>;
type Skipped = ExtractNews<'skipped'>;

const SHOWN_FAILURES = 100;

/** Left out as the user chose, or because it is unsafe: nothing to repair or retry. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  'already_exists',
  'member_name',
  'member_link',
  'member_outside',
  'member_twice',
]);

/** How a row ends, by what was skipped. The gateway names the first 1,000 skipped members. */
export function endingOf(end: End, skipped: readonly Skipped[]): Partial<TransferRow> {
  const failed = skipped.filter(({ code }) => !LEFT_OUT.has(code)).map(failureOf);
  const left_out = skipped.filter(({ code }) => LEFT_OUT.has(code)).map(failureOf);
  const missing = end.type === 'error' ? missingIn(end) : [];
  const missing_count = end.type === 'error' ? end.missing_count : 0;
  return {
    state: end.type === 'error' || failed.length > 0 ? 'failed' : 'done',
    error: errorOf(end, failed),
    sent_bytes: end.bytes,
    done_files: end.created,
    left_behind: end.skipped_count - failed.length,
    failed_files: missing_count + failed.length,
    failures: [...missing, ...failed, ...left_out].slice(0, SHOWN_FAILURES),
  };
}

/** Where nothing was written, one reason says more than counts. */
function errorOf(end: End, failed: readonly TransferFailure[]): unknown {
  if (end.type === 'error') return refusal(end);
  return end.created === 0 ? failed[0]?.error : undefined;
}

function missingIn(end: ExtractNews<'error'>): TransferFailure[] {
  return end.missing.map((path) => ({ path, error: refusal(end) }));
}

function failureOf({ name, code, detail }: Skipped): TransferFailure {
  return { path: name, error: refusal({ code, detail }) };
}

function refusal({ code, detail }: { readonly code: string; readonly detail: string }): ClientError {
  return new ClientError({ status: 0, code, detail });
}
