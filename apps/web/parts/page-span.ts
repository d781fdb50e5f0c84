/** The range of rows that a page shows, counted from 1. */
export function spanOfPage(
  page: number,
  { each, shown, total }: { each: number; shown: number; total: number },
) {
  const from = page * each + 1;
  const to = page * each + shown;
  return { from, to, has_more: to < total };
}
