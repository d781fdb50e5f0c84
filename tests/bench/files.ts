import { table } from './measure.ts';
import { measureFiles } from './measures/files.ts';
import { withScene } from './scene.ts';

console.log(table(await withScene(measureFiles)));
