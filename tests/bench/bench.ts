import { table } from './measure.ts';
import { measureFiles } from './measures/files.ts';
import { measureTerminals } from './measures/terminals.ts';
import { withScene } from './scene.ts';

console.log(table([...(await measureTerminals()), ...(await withScene(measureFiles))]));
