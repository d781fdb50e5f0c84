import { measureFiles } from './measures/files.ts';
import { report } from './report.ts';
import { withScene } from './scene.ts';

report('files', await withScene(measureFiles));
