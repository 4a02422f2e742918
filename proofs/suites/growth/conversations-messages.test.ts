import { CONVERSATION_SHAPES } from "./conversation-shapes.ts";
import { testShapes } from "./test-shapes.ts";

testShapes(CONVERSATION_SHAPES.filter(({ endpoint }) => endpoint === "messages"));
