import { MEMBER_SHAPES } from "./member-shapes.ts";
import { testShapes } from "./test-shapes.ts";

testShapes(MEMBER_SHAPES);
