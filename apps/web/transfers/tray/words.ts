import type { Translate } from '../../i18n/languages.ts';
import { formatSize } from '../../lib/format.ts';
import { reasonOf } from '../../parts/trouble.tsx';
import { type Measured, secondsLeft } from '../meter.ts';
import { skippedIn, type TransferRow } from '../row.ts';
import { settledText } from './summary-text.ts';

/** The rate and the time left. */
export function rateText(measured: Measured, language: string, t: Translate): string {
  const { bytes_per_second } = measured;
  if (bytes_per_second < 1) return '';
  const rate = t('transfer_rate', { size: formatSize(bytes_per_second, language) });
  const left = secondsLeft(measured);
  return left === undefined
    ? rate
    : `${rate} · ${t('transfer_left', { time: durationText(left, language) })}`;
}

/** In one unit, since the estimate is rough. */
export function durationText(seconds: number, language: string): string {
  const [count, unit] =
    seconds < 60
      ? [seconds, 'second']
      : seconds < 3600
        ? [Math.round(seconds / 60), 'minute']
        : [Math.round(seconds / 3600), 'hour'];
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'short' }).format(count);
}

/** The text below the name of a row. */
export function stateText(row: TransferRow, language: string, t: Translate): string {
  switch (row.state) {
    case 'queued':
      return t('transfer_queued');
    case 'running':
      return joined(filesText(row, t), sizeText(row, language, t), rateText(row, language, t));
    case 'retrying':
      return t('transfer_retrying', { reason: reasonOf(row.error, t) });
    case 'asking':
      return t('transfer_asking');
    case 'paused':
      return joined(t('transfer_paused'), filesText(row, t), sizeText(row, language, t));
    case 'waiting':
      return joined(
        row.sent_bytes > 0 ? sizeText(row, language, t) : '',
        t(
          row.has_handle
            ? 'transfer_waiting'
            : `transfer_choose_${row.kind === 'folder' ? 'folder' : 'file'}_why`,
        ),
      );
    case 'done':
      return doneText(row, language, t);
    case 'failed':
      return failedText(row, language, t);
  }
}

function sizeText({ sent_bytes, total_bytes }: Measured, language: string, t: Translate): string {
  const sent = formatSize(sent_bytes, language);
  return total_bytes === undefined
    ? sent
    : t('transfer_of', { sent, total: formatSize(total_bytes, language) });
}

function filesText({ kind, done_files, skipped_files, total_files }: TransferRow, t: Translate): string {
  if (kind === 'file' || total_files === undefined || total_files < 2) return '';
  return t('transfer_files_of', { done: done_files + skipped_files, total: total_files });
}

/** What an extraction has written stays. */
function failedText(row: TransferRow, language: string, t: Translate): string {
  if (row.error === undefined) return doneText(row, language, t);
  return joined(reasonOf(row.error, t), row.kind === 'extract' ? filesText(row, t) : '');
}

function doneText(row: TransferRow, language: string, t: Translate): string {
  const { kind, done_files, skipped_files, failed_files } = row;
  const { replaced_files: replaced, doubled_files: doubled } = row;
  const is_file = kind === 'file';
  const skipped = skippedIn(row);
  if (is_file && skipped_files > 0) return t('transfer_skipped');
  return joined(
    failed_files === 0 ? t(is_file && replaced > 0 ? 'transfer_replaced' : 'transfer_done') : '',
    kind === 'folder' || kind === 'bundle' || kind === 'extract'
      ? t('transfer_files', { count: done_files })
      : '',
    row.sent_bytes > 0 ? formatSize(row.sent_bytes, language) : '',
    is_file ? '' : settledText({ replaced, doubled, skipped }, t),
    failed_files > 0 ? t('transfer_failed_files', { count: failed_files }) : '',
  );
}

function joined(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(' · ');
}
