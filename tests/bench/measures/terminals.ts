import type { Row } from '../measure.ts';
import { IS_QUICK } from '../quick.ts';
import { withScene } from '../scene.ts';
import { writeTexts } from '../texts.ts';
import { measureCrowds } from './crowds.ts';
import { measureEcho } from './echo.ts';
import { measureFloods } from './floods.ts';
import { measureInterrupt } from './interrupt.ts';
import { measureOpening } from './opening.ts';

/** Terminals against `ssh` itself. */
export async function measureTerminals(): Promise<Row[]> {
  const rows = await withScene(async (scene) => {
    const texts = await writeTexts(scene.sshd.folder);
    return [
      ...(await measureFloods(scene, texts)),
      ...(await measureEcho(scene)),
      await measureOpening(scene),
      await measureInterrupt(scene),
    ];
  });
  return IS_QUICK ? rows : [...rows, ...(await measureCrowds())];
}
