import type { Fault } from '../../errors.ts';
import { pathOf } from '../../lib/paths/path-bytes.ts';
import type { ExtractEnd, ExtractStep } from '../../model/files/archive.ts';
import type { Meter } from '../../ports/meter.ts';
import type { Clock } from '../../ports/runtime.ts';
import type { ZipMember } from '../../ports/zip.ts';
import type { Total } from './bounds.ts';
import { spelled } from './entries.ts';
import type { TargetFile } from './target.ts';

const REPORT_MS = 200;
const SHOWN_SKIPPED = 1000;
const SHOWN_MISSING = 100;

export interface Tally {
  add(bytes: number, member: ZipMember): void;
  fileDone(file: TargetFile): void;
  directoryDone(): void;
  skip(member: ZipMember, fault: Fault): void;
  /** One that the archive has, or that a name in it implies. */
  skipDirectory(path: string, fault: Fault): void;
  /** Reports even if nothing has been written yet. */
  begin(): void;
  end(path: string): ExtractEnd;
  failed(fault: Fault, files: readonly TargetFile[]): ExtractEnd;
}

interface Reports {
  readonly total: Total;
  readonly watch: (event: ExtractStep) => void;
  readonly clock: Pick<Clock, 'elapsed_ms'>;
  readonly meter: Pick<Meter, 'add'>;
}

/** Counts what was extracted, and reports it at most five times a second. */
export function createTally({ total, watch, clock, meter }: Reports): Tally {
  const settled = new Set<ZipMember>();
  let told_ms = Number.NEGATIVE_INFINITY;
  let [written_bytes, bytes, created, directories, skipped_count] = [0, 0, 0, 0, 0];
  function report(path: string): void {
    told_ms = clock.elapsed_ms();
    watch({
      type: 'progress',
      bytes: written_bytes,
      files: created,
      path,
      total_bytes: total.bytes,
      total_files: total.files,
    });
  }
  function tell(member: ZipMember): void {
    if (clock.elapsed_ms() - told_ms >= REPORT_MS) report(spelled(member));
  }
  function tellSkipped(spelledName: () => string, { code, detail }: Fault): void {
    skipped_count += 1;
    if (skipped_count <= SHOWN_SKIPPED) watch({ type: 'skipped', name: spelledName(), code, detail });
  }
  const counts = () => ({ created, directories, bytes, skipped_count });
  return {
    begin: () => report(''),
    add(more, member) {
      written_bytes += more;
      meter.add('bytes_copied', more);
      tell(member);
    },
    fileDone({ planned: { member } }) {
      created += 1;
      bytes += member.size;
      settled.add(member);
      meter.add('copies');
      tell(member);
    },
    directoryDone() {
      directories += 1;
    },
    skip(member, fault) {
      settled.add(member);
      tellSkipped(() => spelled(member), fault);
    },
    skipDirectory: (path, fault) => tellSkipped(() => pathOf(path), fault),
    end: (path) => ({ type: 'done', path, ...counts() }),
    failed({ code, detail }, files) {
      const left = files.filter(({ planned }) => !settled.has(planned.member));
      const missing = left.slice(0, SHOWN_MISSING).map(({ planned }) => spelled(planned.member));
      return { type: 'error', code, detail, ...counts(), missing, missing_count: left.length };
    },
  };
}
