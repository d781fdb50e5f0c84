import type { Row } from './measure.ts';
import { measureCrowds } from './measure-crowds.ts';
import { measureEcho } from './measure-echo.ts';
import { measureFloods } from './measure-floods.ts';
import { measureInterrupt } from './measure-interrupt.ts';
import { measureOpening } from './measure-opening.ts';
import { withScene } from './scene.ts';
import { writeTexts } from './texts.ts';

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
  return [...rows, ...(await measureCrowds())];
}
