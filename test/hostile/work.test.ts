import { HOSTILE_WORK } from './hostileFiles.ts';
import { testHostileFiles } from './testHostileFiles.ts';

testHostileFiles(HOSTILE_WORK);
