import { table } from './measure.ts';
import { measureFiles } from './measure-files.ts';
import { openScene } from './scene.ts';

const scene = await openScene();
try {
  console.log(table(await measureFiles(scene)));
} finally {
  await scene.stop();
}
