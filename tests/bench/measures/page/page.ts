import { openBrowser } from '../../browser.ts';
import type { Row } from '../../measure.ts';
import { withScene } from '../../scene.ts';
import { measureFloods } from './floods.ts';
import { measureListing } from './listing.ts';
import { measureOpening } from './opening.ts';
import { measureRail } from './rail.ts';
import { measureSizes } from './sizes.ts';
import { measureTable } from './table.ts';

/** What a person meets in the page, in a real browser without a GPU. */
export async function measurePage(): Promise<Row[]> {
  const browser = await openBrowser();
  try {
    const rows = await withScene(async (scene) => [
      ...(await measureSizes(scene, browser)),
      ...(await measureOpening(scene, browser)),
      ...(await measureFloods(scene, browser)),
      ...(await measureListing(scene, browser)),
    ]);
    return [...rows, ...(await measureRail(browser)), ...(await measureTable(browser))];
  } finally {
    await browser.close();
  }
}
