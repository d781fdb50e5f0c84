import { measureTerminals } from './measures/terminals.ts';
import { report } from './report.ts';

report('terminals', await measureTerminals());
