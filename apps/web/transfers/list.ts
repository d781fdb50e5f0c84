import { createStore, produce } from 'solid-js/store';
import type { Job, Tell } from './job.ts';
import { createMeter, type Meter } from './meter.ts';
import { isActive, isOver, type NewTransfer, type TransferRow, toRow } from './row.ts';

const TICK_MS = 500;
const KEPT_DONE = 200; // the oldest finished rows are removed first

interface Entry {
  readonly job: Job;
  readonly meter: Meter;
}

export interface TransferList {
  readonly rows: readonly TransferRow[];
  /** Adds a row, or replaces the one with the same id. */
  add(fields: NewTransfer, makeJob: (tell: Tell) => Job): void;
  job(id: string): Job | undefined;
  row(id: string): TransferRow | undefined;
  set(id: string, news: Partial<TransferRow>): void;
  remove(id: string): void;
  /** Clears all timers. */
  rest(): void;
}

/** The rows of the tray and their jobs. Progress updates twice a second, not with each packet. */
export function createTransferList(onEnd: (row: TransferRow) => void): TransferList {
  const [rows, update] = createStore<TransferRow[]>([]);
  const entries = new Map<string, Entry>();
  let timer: ReturnType<typeof setInterval> | undefined;
  const row = (id: string) => rows.find((candidate) => candidate.id === id);

  function tick(): void {
    const now_ms = performance.now();
    for (const { id } of rows.filter(isActive)) {
      const entry = entries.get(id);
      if (!entry) continue;
      const sent_bytes = entry.job.sent();
      const bytes_per_second = entry.meter.read(sent_bytes, now_ms);
      const measured_ms = entry.meter.measured_ms();
      update((candidate) => candidate.id === id, { sent_bytes, bytes_per_second, measured_ms });
    }
    if (!rows.some(isActive)) rest();
  }

  function rest(): void {
    clearInterval(timer);
    timer = undefined;
  }

  function set(id: string, news: Partial<TransferRow>): void {
    const before = row(id);
    if (!before) return;
    const was_over = isOver(before);
    const still = news.state && !isActive({ state: news.state }) ? { bytes_per_second: 0 } : {};
    update((candidate) => candidate.id === id, { ...news, ...still });
    const after = { ...before, ...news };
    if (isActive(after)) timer ??= setInterval(tick, TICK_MS);
    if (isOver(after) && !was_over) onEnd(after);
  }

  function drop(id: string): void {
    entries.delete(id);
    update((all) => all.filter((candidate) => candidate.id !== id));
  }

  return {
    rows,
    row,
    set,
    rest,
    job: (id) => entries.get(id)?.job,
    remove: drop,
    add(fields, makeJob) {
      const fresh = toRow(fields);
      entries.set(fresh.id, { job: makeJob((news) => set(fresh.id, news)), meter: createMeter() });
      const at = rows.findIndex(({ id }) => id === fresh.id);
      if (at >= 0) update(at, fresh);
      else update(produce((all) => void all.push(fresh)));
      const done = rows.filter(({ state, failures }) => state === 'done' && failures.length === 0);
      for (const { id } of done.slice(0, -KEPT_DONE)) drop(id);
    },
  };
}
