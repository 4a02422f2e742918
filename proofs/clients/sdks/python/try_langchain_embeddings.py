"""LangChain's OpenAIEmbeddings in an InMemoryVectorStore."""

import sys

from checks import KEY, URL, expect, model, run_all
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_openai import OpenAIEmbeddings

TEXTS = ["A cat sleeps on the roof.", "Trains to the coast leave hourly.", "Bread is baked at night."]


def embeddings(**settings):
    # Without the setting, texts are cut by a list of tokens that is loaded from OpenAI's host.
    return OpenAIEmbeddings(
        model=model("embed"), base_url=f"{URL}/v1", api_key=KEY, check_embedding_ctx_length=False, max_retries=0, **settings
    )


def check_a_store_finds_the_nearest_text():
    store = InMemoryVectorStore.from_texts(TEXTS, embedding=embeddings())
    found = store.similarity_search("When do the trains leave?", k=1)
    expect(found[0].page_content == TEXTS[1], found)


def check_vectors_have_the_length_that_is_asked_for():
    vector = embeddings(dimensions=256).embed_query("one")
    expect(len(vector) == 256, len(vector))


run_all(sys.modules[__name__])
