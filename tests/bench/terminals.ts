import { table } from './measure.ts';
import { measureTerminals } from './measures/terminals.ts';

console.log(table(await measureTerminals()));
