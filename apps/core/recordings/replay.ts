import type { CastWriter } from '../ports/casts.ts';
import type { KeptOutput } from '../ports/keeper.ts';

/** Writes the output from an offset on, and the sizes it was written for, each at the time when it arrived. */
export function replay(writer: Pick<CastWriter, 'output' | 'resize'>, kept: KeptOutput, from: number): void {
  const { offset, bytes, times } = kept;
  const end = offset + bytes.length;
  const sizes = kept.sizes.filter((size) => size.offset >= from);
  const cuts = new Set([
    from,
    ...[...times, ...sizes].map((mark) => mark.offset).filter((at) => at > from && at < end),
    end,
  ]);
  const [first = from, ...others] = [...cuts].sort((a, b) => a - b);
  let begin = first;
  for (const until of [...others, end]) {
    for (const { cols, rows, at_ms } of sizes.filter((size) => size.offset === begin))
      writer.resize({ cols, rows }, at_ms);
    const at_ms = times.findLast((time) => time.offset <= begin)?.at_ms;
    if (until > begin) writer.output(bytes.subarray(begin - offset, until - offset), at_ms);
    begin = until;
  }
}
