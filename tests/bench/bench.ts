import { table } from './measure.ts';
import { measureFiles } from './measure-files.ts';
import { measureTerminals } from './measure-terminals.ts';
import { withScene } from './scene.ts';

console.log(table([...(await measureTerminals()), ...(await withScene(measureFiles))]));
