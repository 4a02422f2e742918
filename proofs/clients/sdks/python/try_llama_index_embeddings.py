"""LlamaIndex's OpenAILikeEmbedding in a VectorStoreIndex."""

import sys

from checks import KEY, URL, expect, model, run_all
from llama_index.core import VectorStoreIndex
from llama_index.core.schema import TextNode
from llama_index.embeddings.openai_like import OpenAILikeEmbedding

TEXTS = ["A cat sleeps on the roof.", "Trains to the coast leave hourly.", "Bread is baked at night."]


def embeddings(**settings):
    return OpenAILikeEmbedding(model_name=model("embed"), api_base=f"{URL}/v1", api_key=KEY, max_retries=0, **settings)


def check_a_store_finds_the_nearest_text():
    nodes = [TextNode(text=text) for text in TEXTS]
    index = VectorStoreIndex(nodes=nodes, embed_model=embeddings())
    found = index.as_retriever(similarity_top_k=1).retrieve("When do the trains leave?")
    expect(found[0].node.get_content() == TEXTS[1], found)


def check_vectors_have_the_length_that_is_asked_for():
    vector = embeddings(dimensions=256).get_query_embedding("one")
    expect(len(vector) == 256, len(vector))


run_all(sys.modules[__name__])
