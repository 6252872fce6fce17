import { HOSTILE_PIXELS } from './hostileFiles.ts';
import { testHostileFiles } from './testHostileFiles.ts';

testHostileFiles(HOSTILE_PIXELS);
